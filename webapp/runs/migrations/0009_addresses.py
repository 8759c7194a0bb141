from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0008_pulse'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='address',
            field=models.CharField(blank=True, db_index=True, max_length=64),
        ),
    ]
