"""What each stage does: plain async handlers over ports. No Kafka, no Faust, no HTTP server."""
