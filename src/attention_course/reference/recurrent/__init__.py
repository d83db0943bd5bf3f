"""What recurrent networks compute, and the attention that was added to them (2014 to 2016)."""
