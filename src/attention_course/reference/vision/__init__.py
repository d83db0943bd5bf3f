"""What attention over pictures needs beside attention itself."""
