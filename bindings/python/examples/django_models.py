# SPDX-License-Identifier: MIT
"""Django: ids of frazil as primary keys.  FRAZIL_WORKER says which worker number this host has."""

from django.db import models

import frazil

# One for the process.  Children that are forked later share it.
ids = frazil.open("layout=frazil")


def new_id():
    """A function of the module, because migrations name the default."""
    return ids.next()


class Order(models.Model):
    # 63 bits: a BigIntegerField holds every id of the layout.
    id = models.BigIntegerField(primary_key=True, default=new_id, editable=False)
    item = models.TextField()

    class Meta:
        app_label = "shop"

    @classmethod
    def created_between(cls, begin, end):
        """Orders of a time range, by the primary key alone: no index on a date is needed."""
        return cls.objects.filter(id__gte=ids.layout.first(begin), id__lt=ids.layout.first(end))
