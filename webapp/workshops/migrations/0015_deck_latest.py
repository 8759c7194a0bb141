from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0014_open_attempts'),
    ]

    operations = [
        migrations.AddField(
            model_name='deck',
            name='latest',
            field=models.BooleanField(default=True),
        ),
    ]
