package dev.trainyard.local;

import dev.trainyard.certs.PemKeyPair;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/** An encoder of EC keys in the older PEM form, {@code BEGIN EC PRIVATE KEY}. The fabric8 client mistakes the newer form for an RSA key. */
final class EcKeyPem {
    private static final int P256_BITS = 256;

    private EcKeyPem() {}

    static String of(PemKeyPair pair) {
        try {
            PrivateKeyInfo key = (PrivateKeyInfo) parse(pair.keyPem());
            X509CertificateHolder certificate = (X509CertificateHolder) parse(pair.certificatePem());
            ECPrivateKey complete = new ECPrivateKey(
                    P256_BITS,
                    ECPrivateKey.getInstance(key.parsePrivateKey()).getKey(),
                    certificate.getSubjectPublicKeyInfo().getPublicKeyData(),
                    key.getPrivateKeyAlgorithm().getParameters());
            StringWriter text = new StringWriter();
            try (PemWriter writer = new PemWriter(text)) {
                writer.writeObject(new PemObject("EC PRIVATE KEY", complete.getEncoded()));
            }
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object parse(String pem) throws IOException {
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            return parser.readObject();
        }
    }
}
