from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0009_sent_back'),
    ]

    operations = [
        migrations.AddField(
            model_name='workshop',
            name='front',
            field=models.BigIntegerField(default=0),
        ),
    ]
