"""Charts: the only place that touches pyqtgraph, which has no types."""
