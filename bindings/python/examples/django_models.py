# SPDX-License-Identifier: MIT
"""Django: ids of frazil as primary keys.  FRAZIL_WORKER says which worker number this host has."""

from django.db import models

from frazil.django import FrazilField, created_between


class Order(models.Model):
    # The generator is opened when the first row needs an id: migrations and builds need no worker number.
    id = FrazilField(primary_key=True)
    item = models.TextField()

    class Meta:
        app_label = "shop"

    @classmethod
    def created_between(cls, begin, end):
        """Orders of a time range, by the primary key alone: no index on a date is needed."""
        return cls.objects.filter(created_between("id", begin, end))
