package dev.trainyard.local.binaries;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every Java has. */
final class Sha256 {
    private Sha256() {}

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The digest so far as lower-case hex digits; resets it. */
    static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
