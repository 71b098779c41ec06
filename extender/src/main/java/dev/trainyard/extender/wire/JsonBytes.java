package dev.trainyard.extender.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;

/** A buffer that joins parts which are already JSON. An answer about thousands of nodes costs no more than copying the parts. */
final class JsonBytes {

    private byte[] bytes;
    private int length;

    JsonBytes(int capacity) {
        bytes = new byte[capacity];
    }

    JsonBytes add(byte[] part) {
        ensure(part.length);
        System.arraycopy(part, 0, bytes, length, part.length);
        length += part.length;
        return this;
    }

    JsonBytes add(char ascii) {
        ensure(1);
        bytes[length++] = (byte) ascii;
        return this;
    }

    /** @param number not negative */
    JsonBytes add(int number) {
        return number < 10
                ? add((char) ('0' + number))
                : add(Integer.toString(number).getBytes(US_ASCII));
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }

    private void ensure(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
        }
    }
}
