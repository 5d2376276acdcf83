"""The History page: list, filters, details, comparison, exports, old runs."""
