"""Cases become tensors: values, layouts, and the calls they make up."""
