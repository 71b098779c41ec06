package dev.trainyard.certs;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.openssl.PEMEncryptedKeyPair;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.pkcs.PKCS8EncryptedPrivateKeyInfo;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/** A reader and writer of PEM text. The parameter {@code what} is the name of the text in messages, usually a file's path. */
final class Pem {
    private Pem() {}

    static String ofCertificates(List<X509Certificate> certificates) {
        StringBuilder pem = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            try {
                pem.append(block("CERTIFICATE", certificate.getEncoded()));
            } catch (CertificateException e) {
                throw new IllegalStateException("a certificate cannot be encoded", e);
            }
        }
        return pem.toString();
    }

    static String ofKey(PrivateKey key) {
        return block("PRIVATE KEY", key.getEncoded());
    }

    /** Returns all certificates of the text, in their order; at least one. */
    static List<X509Certificate> certificates(String pem, String what) {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Object object : objects(pem, what)) {
            if (object instanceof X509CertificateHolder holder) {
                certificates.add(certificate(holder, what));
            }
        }
        if (certificates.isEmpty()) {
            throw new TlsException(what + " holds no certificate; expected PEM text that starts with"
                    + " -----BEGIN CERTIFICATE-----");
        }
        return certificates;
    }

    /** Returns the first private key of the text: PKCS#8, or openssl's formats for EC and RSA keys. */
    static PrivateKey key(String pem, String what) {
        for (Object object : objects(pem, what)) {
            if (object instanceof PEMEncryptedKeyPair || object instanceof PKCS8EncryptedPrivateKeyInfo) {
                throw new TlsException(what + " is encrypted with a password; expected an unencrypted key:"
                        + " decrypt it with openssl pkey -in FILE -out FILE.plain");
            }
            if (object instanceof PEMKeyPair pair) {
                return key(pair.getPrivateKeyInfo(), what);
            }
            if (object instanceof PrivateKeyInfo info) {
                return key(info, what);
            }
        }
        throw new TlsException(
                what + " holds no private key; expected PEM text that starts with -----BEGIN PRIVATE KEY-----");
    }

    static X509Certificate certificate(X509CertificateHolder holder, String what) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(holder.getEncoded()));
        } catch (CertificateException | IOException e) {
            throw new TlsException(what + " holds a certificate that cannot be read: " + e.getMessage(), e);
        }
    }

    private static PrivateKey key(PrivateKeyInfo info, String what) {
        try {
            return new JcaPEMKeyConverter().getPrivateKey(info);
        } catch (PEMException e) {
            throw new TlsException(
                    what + " holds a key of a type that the Java runtime does not support: " + e.getMessage()
                            + "; use an EC key (P-256, P-384) or an RSA key",
                    e);
        }
    }

    private static List<Object> objects(String pem, String what) {
        List<Object> objects = new ArrayList<>();
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            for (Object object = parser.readObject(); object != null; object = parser.readObject()) {
                objects.add(object);
            }
        } catch (IOException | RuntimeException e) { // invalid base64 or ASN.1 may cause either
            throw new TlsException(
                    what + " is not readable as PEM: " + e.getMessage()
                            + "; expected the text between -----BEGIN ...----- and -----END ...----- to be whole",
                    e);
        }
        return objects;
    }

    private static String block(String type, byte[] content) {
        StringWriter text = new StringWriter();
        try (PemWriter writer = new PemWriter(text)) {
            writer.writeObject(new PemObject(type, content));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
