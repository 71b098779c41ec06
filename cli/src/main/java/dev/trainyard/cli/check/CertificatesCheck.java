package dev.trainyard.cli.check;

import dev.trainyard.certs.CertificateFacts;
import dev.trainyard.certs.TlsException;
import dev.trainyard.core.Trap;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Whether those who call each other believe each other, and for how long. */
final class CertificatesCheck implements Check {

    private static final String ABOUT = "certificates";
    /** A CA is renewed after two thirds of its year: one this near its end was not. */
    private static final int LATE_DAYS = 30;

    @Override
    public List<Finding> look(Seen seen) {
        var findings = new ArrayList<Finding>();
        findings.addAll(seen.admission()
                .authorities()
                .findings(
                        ABOUT,
                        authorities -> authorities.stream()
                                .flatMap(authority -> look(authority, seen).stream())
                                .toList()));
        seen.admission()
                .registration()
                .value()
                .flatMap(found -> found)
                .ifPresent(registration -> RegistrationCheck.webhooks(registration)
                        .forEach(webhook -> findings.add(bundle(
                                webhook.getName(),
                                webhook.getClientConfig() == null
                                        ? ""
                                        : Optional.ofNullable(webhook.getClientConfig()
                                                        .getCaBundle())
                                                .orElse(""),
                                seen.at()))));
        findings.addAll(served(seen));
        return findings;
    }

    private static List<Finding> look(Authority authority, Seen seen) {
        var object = "Secret %s/%s".formatted(seen.setting().namespace(), authority.secret());
        return authority.certificates().findings(ABOUT, found -> {
            if (found.isEmpty()) {
                return List.of(
                        authority.runs()
                                ? Finding.error(
                                                ABOUT,
                                                "there is no %s, which %s makes when it starts"
                                                        .formatted(object, authority.usedBy()))
                                        .on(object)
                                        .todo("look at its log; it needs the right to create and patch that Secret")
                                        .see(Trap.CERTIFICATES)
                                : Finding.note(
                                        ABOUT,
                                        "there is no %s: %s does not run in the cluster"
                                                .formatted(object, authority.usedBy())));
            }
            return List.of(dated(object, "data[ca.crt]", found.get(), seen.at(), Trap.CERTIFICATES, """
                    kubectl -n %s delete secret %s: whoever needs it makes a new one""".formatted(
                            seen.setting().namespace(), authority.secret())));
        });
    }

    private static Finding bundle(String webhook, String base64, Instant now) {
        var field = "webhooks[%s].clientConfig.caBundle".formatted(webhook);
        var todo = "look whether the webhook runs with --webhook-configuration=%s, and at its log"
                .formatted(RegistrationCheck.NAME);
        if (base64.isBlank()) {
            return Finding.error(ABOUT, "the API server cannot verify the webhook")
                    .on(RegistrationCheck.OBJECT)
                    .field(field, "", "the webhook's CA")
                    .todo(todo)
                    .see(Trap.WEBHOOK_NOT_TRUSTED);
        }
        return dated(RegistrationCheck.OBJECT, field, text(base64), now, Trap.WEBHOOK_NOT_TRUSTED, todo);
    }

    /** What it says of the certificate that lasts longest: others are left over from before. */
    private static Finding dated(String object, String field, String pem, Instant now, Trap trap, String todo) {
        List<CertificateFacts> all;
        try {
            all = CertificateFacts.of(pem, object);
        } catch (TlsException e) {
            return Finding.error(ABOUT, "no certificate can be read")
                    .on(object)
                    .field(field, "text without a certificate", "certificates in PEM")
                    .todo(todo)
                    .see(trap);
        }
        var last = all.stream()
                .max(Comparator.comparing(CertificateFacts::notAfter))
                .orElseThrow();
        var until = "%s until %s".formatted(last.subject(), last.notAfter());
        if (!now.isBefore(last.notAfter())) {
            return Finding.error(ABOUT, "%s: the CA has expired".formatted(object))
                    .on(object)
                    .field(field, until, "valid at " + now)
                    .todo(todo)
                    .see(trap);
        }
        if (all.stream().allMatch(certificate -> now.isBefore(certificate.notBefore()))) {
            return Finding.error(ABOUT, "%s: the CA is not valid yet, so that clocks differ".formatted(object))
                    .on(object)
                    .field(field, "from " + last.notBefore(), "valid at " + now)
                    .todo("set the clocks right, then: " + todo)
                    .see(trap);
        }
        return last.notAfter().isBefore(now.plusSeconds(LATE_DAYS * 86_400L))
                ? Finding.warning(ABOUT, "%s: the CA ends soon and was not renewed".formatted(object))
                        .on(object)
                        .field(field, until, "renewed after two thirds of its life")
                        .todo(todo)
                        .see(trap)
                : Finding.ok(ABOUT, "%s %s: valid until %s".formatted(object, field, last.notAfter()));
    }

    private static List<Finding> served(Seen seen) {
        return seen.admission()
                .served()
                .findings(
                        ABOUT,
                        found -> found.map(served -> List.of(look(served, seen.at())))
                                .orElse(List.of()));
    }

    private static Finding look(Served served, Instant now) {
        var object = "webhook at " + served.address();
        var leaf = served.leaf();
        if (!now.isBefore(leaf.notAfter()) || now.isBefore(leaf.notBefore())) {
            return Finding.error(ABOUT, "the webhook shows a certificate that is not valid now")
                    .on(object)
                    .field("certificate", "%s to %s".formatted(leaf.notBefore(), leaf.notAfter()), "valid at " + now)
                    .todo("look at its log; with --tls-dir, renew the files")
                    .see(Trap.WEBHOOK_NOT_TRUSTED);
        }
        if (!served.distrust().isEmpty()) {
            return Finding.error(ABOUT, "the API server turns away from the webhook: " + served.distrust())
                    .on(object)
                    .field(
                            "certificate",
                            "%s of %s, for %s".formatted(leaf.subject(), leaf.issuer(), leaf.names()),
                            "one of a CA in caBundle, for " + served.name())
                    .todo(
                            "empty caBundle: the webhook writes it anew; with --tls-dir, let the names in the certificate be right")
                    .see(Trap.WEBHOOK_NOT_TRUSTED);
        }
        return Finding.ok(
                ABOUT, "the webhook shows one that the API server believes, valid until %s".formatted(leaf.notAfter()));
    }

    private static String text(String base64) {
        try {
            return new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.US_ASCII);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
