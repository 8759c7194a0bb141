from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0010_front'),
    ]

    operations = [
        migrations.AddField(
            model_name='deck',
            name='ran',
            field=models.JSONField(default=dict),
        ),
    ]
