from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0007_muted_editing_kept'),
    ]

    operations = [
        migrations.AddField(
            model_name='deck',
            name='turns',
            field=models.PositiveIntegerField(default=0),
        ),
    ]
