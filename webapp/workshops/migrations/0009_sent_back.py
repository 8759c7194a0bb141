import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0008_deck_turns'),
    ]

    operations = [
        migrations.CreateModel(
            name='SentBack',
            fields=[
                ('seat', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='sent_back', serialize=False, to='workshops.seat')),
                ('source', models.TextField()),
            ],
        ),
    ]
