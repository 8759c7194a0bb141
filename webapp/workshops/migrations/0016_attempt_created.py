from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0015_deck_latest'),
    ]

    operations = [
        migrations.RenameField(model_name='attempt', old_name='made', new_name='created'),
    ]
