from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0012_handed_out'),
    ]

    operations = [
        migrations.AddField(
            model_name='workshop',
            name='front_tab',
            field=models.CharField(blank=True, max_length=16),
        ),
    ]
