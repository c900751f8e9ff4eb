"""What is known about devices, their names, their prices, and the price of electricity."""

from bench.catalog.devices import Catalog, CatalogDevice

__all__ = ["Catalog", "CatalogDevice"]
