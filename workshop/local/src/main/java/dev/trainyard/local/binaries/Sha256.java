package dev.trainyard.local.binaries;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 digests, which every Java supports. */
final class Sha256 {
    private Sha256() {}

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the value of {@code digest} in lower-case hex digits, and resets {@code digest}. */
    static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
