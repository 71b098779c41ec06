package dev.trainyard.local.binaries;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.GZIPInputStream;

/** A reader of one file in a {@code tar.gz}. Supports only names in the plain header, that is, of at most 100 characters. */
final class TarGz {
    private static final int BLOCK = 512;

    private TarGz() {}

    static void extract(InputStream archive, String wanted, Path target) throws IOException {
        try (GZIPInputStream tar = new GZIPInputStream(archive, 64 * 1024)) {
            byte[] header = tar.readNBytes(BLOCK);
            while (header.length == BLOCK && header[0] != 0) {
                long size = Long.parseLong(field(header, 124, 12), 8);
                if (field(header, 0, 100).equals(wanted)) {
                    Files.copy(new Bounded(tar, size), target, StandardCopyOption.REPLACE_EXISTING);
                    return;
                }
                tar.skipNBytes((size + BLOCK - 1) / BLOCK * BLOCK);
                header = tar.readNBytes(BLOCK);
            }
        }
        throw new IOException("there is no " + wanted + " in the archive");
    }

    private static String field(byte[] header, int offset, int length) {
        String text = new String(header, offset, length, StandardCharsets.US_ASCII);
        int end = text.indexOf('\0');
        return (end < 0 ? text : text.substring(0, end)).strip();
    }

    /** A fixed number of bytes of a stream; fails if the stream ends earlier. */
    private static final class Bounded extends InputStream {
        private final InputStream in;
        private long left;

        Bounded(InputStream in, long size) {
            this.in = in;
            this.left = size;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int count = in.read(buffer, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException("the archive ends in the middle of a file");
            }
            left -= count;
            return count;
        }
    }
}
