from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0006_hidden_inputs'),
    ]

    operations = [
        migrations.AddField(
            model_name='workshop',
            name='kept',
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name='workshop',
            name='place',
            field=models.CharField(blank=True, max_length=8192),
        ),
        migrations.AddField(
            model_name='seat',
            name='editing',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='seat',
            name='muted',
            field=models.BooleanField(default=False),
        ),
    ]
