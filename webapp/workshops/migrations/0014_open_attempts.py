from django.db import migrations, models


def close(apps, _):
    """Those of which all checks are over are not judged anew."""
    attempts = apps.get_model('workshops', 'Attempt').objects
    over = [
        pk
        for pk, results in attempts.values_list('pk', 'results').iterator()
        if not any(each.get('pending') for each in results)
    ]
    for at in range(0, len(over), 500):
        attempts.filter(pk__in=over[at : at + 500]).update(is_open=False)


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0013_front_tab'),
    ]

    operations = [
        migrations.AddField(
            model_name='attempt',
            name='is_open',
            field=models.BooleanField(default=True),
        ),
        migrations.RunPython(close, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(
                condition=models.Q(('is_open', True)), fields=['is_open'], name='workshop_open_attempts',
            ),
        ),
    ]
