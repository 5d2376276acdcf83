"""What pages are made of: fields, tables, banners, questions; none knows what qtune does."""
