"""What flows, where, and who runs it: the only floor that knows Kafka, Faust and HTTP."""
