import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


def keep_the_last(apps, schema_editor):
    """The one that each room has is its last; those before it were not kept."""
    handed_out = apps.get_model("workshops", "HandedOut")
    for each in apps.get_model("workshops", "Workshop").objects.filter(handed_out__gt=0).iterator():
        handed_out.objects.create(workshop=each, number=each.handed_out, source=each.handout)


class Migration(migrations.Migration):

    dependencies = [
        ('workshops', '0011_ran'),
    ]

    operations = [
        migrations.CreateModel(
            name='HandedOut',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('source', models.TextField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('workshop', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workshops.workshop')),
            ],
            options={
                'ordering': ('number',),
                'constraints': [models.UniqueConstraint(fields=('workshop', 'number'), name='workshop_handed_out')],
            },
        ),
        migrations.RunPython(keep_the_last, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField(
            model_name='workshop',
            name='handout',
        ),
    ]
