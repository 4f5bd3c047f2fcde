"""What runs around the product: containers, dashboards, and real servers without containers."""
