package dev.trainyard.cli.check;

import dev.trainyard.certs.CertificateFacts;
import dev.trainyard.certs.TlsException;
import dev.trainyard.core.TroubleshootingTopic;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A check that the API server trusts the webhook's CA, and that the CAs are not about to expire. */
final class CertificatesCheck implements Check {

    private static final String ABOUT = "certificates";
    /** The length of a shortened fingerprint: four hexadecimal bytes with colons between them. */
    private static final int FINGERPRINT = 11;

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
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
                        .forEach(webhook -> findings.addAll(bundle(webhook, seen))));
        return findings;
    }

    private static List<Finding> look(SharedCa authority, ClusterSnapshot seen) {
        var object = "Secret %s/%s".formatted(seen.setting().namespace(), authority.secret());
        return authority.certificates().findings(ABOUT, found -> {
            if (found.isEmpty()) {
                return List.of(
                        authority.runs()
                                ? Finding.error(
                                                ABOUT,
                                                "%s is missing, although pods of %s create this Secret when they start"
                                                        .formatted(object, authority.usedBy()))
                                        .on(object)
                                        .todo(
                                                "see the logs of these pods, and check that their ServiceAccounts may create and patch the Secret")
                                        .see(TroubleshootingTopic.CERTIFICATES)
                                : Finding.note(
                                        ABOUT,
                                        "there is no %s: %s does not run in the cluster"
                                                .formatted(object, authority.usedBy())));
            }
            var validity = new Validity(
                    ABOUT, object, "data[ca.crt]", "the CA", false, TroubleshootingTopic.CERTIFICATES, """
                    run 'kubectl -n %s delete secret %s': the component that needs the Secret creates a new one""".formatted(
                                    seen.setting().namespace(), authority.secret()));
            return List.of(validity.read(found.get())
                    .map(all -> validity.ofAny(all, seen.at()))
                    .orElseGet(() -> validity.unreadable(found.get())));
        });
    }

    private static List<Finding> bundle(MutatingWebhook webhook, ClusterSnapshot seen) {
        var field = "webhooks[%s].clientConfig.caBundle".formatted(webhook.getName());
        var todo = "check that the webhook runs with --webhook-configuration=%s, and see its log"
                .formatted(RegistrationCheck.NAME);
        var base64 = Optional.ofNullable(webhook.getClientConfig())
                .map(config -> config.getCaBundle())
                .orElse("");
        if (base64.isBlank()) {
            return List.of(Finding.error(ABOUT, "the API server cannot verify the webhook")
                    .on(RegistrationCheck.OBJECT)
                    .field(field, "", "the webhook's CA")
                    .todo(todo)
                    .see(TroubleshootingTopic.WEBHOOK_NOT_TRUSTED));
        }
        var validity = new Validity(
                ABOUT,
                RegistrationCheck.OBJECT,
                field,
                "the CA",
                false,
                TroubleshootingTopic.WEBHOOK_NOT_TRUSTED,
                todo);
        var trusted = validity.read(text(base64));
        if (trusted.isEmpty()) {
            return List.of(validity.unreadable(text(base64)));
        }
        var dates = validity.ofAny(trusted.get(), seen.at());
        return dates.level() == Finding.Level.ERROR
                ? List.of(dates)
                : Stream.concat(Stream.of(dates), foreign(trusted.get(), field, seen))
                        .toList();
    }

    /** Returns an error for each CA that signs the webhook's certificates but is not trusted by the API server. */
    private static Stream<Finding> foreign(List<CertificateFacts> trusted, String field, ClusterSnapshot seen) {
        return signers(seen).entrySet().stream()
                .filter(signer -> trusted.stream()
                        .noneMatch(one ->
                                one.fingerprint().equals(signer.getValue().fingerprint())))
                .map(signer -> Finding.error(
                                ABOUT,
                                "the API server does not trust the CA in %s, which signs the webhook's certificates"
                                        .formatted(signer.getKey()))
                        .on(RegistrationCheck.OBJECT)
                        .field(
                                field,
                                trusted.stream().map(CertificatesCheck::words).collect(Collectors.joining(", ")),
                                words(signer.getValue()))
                        .todo(("see the webhook's log: with --webhook-configuration=%s the webhook writes its CA into "
                                        + "caBundle within half a minute; to make the webhook write at once, clear the field caBundle")
                                .formatted(RegistrationCheck.NAME))
                        .see(TroubleshootingTopic.WEBHOOK_NOT_TRUSTED));
    }

    /**
     * Returns the CAs that sign the webhook's certificates, by the name of the Secret with the CA. The first certificate in {@code ca.crt}
     * is the signer.
     */
    private static Map<String, CertificateFacts> signers(ClusterSnapshot seen) {
        var signers = new TreeMap<String, CertificateFacts>();
        seen.admission().authorities().value().orElse(List.of()).stream()
                .filter(authority -> authority.runs()
                        && List.of(authority.usedBy().split(", ")).contains("trainyard-webhook"))
                .forEach(authority -> authority
                        .certificates()
                        .value()
                        .flatMap(found -> found)
                        .flatMap(CertificatesCheck::first)
                        .ifPresent(signer -> signers.put(
                                "Secret %s/%s".formatted(seen.setting().namespace(), authority.secret()), signer)));
        seen.admission().mounted().value().orElse(List.of()).stream()
                .filter(mounted -> mounted.component().equals("webhook"))
                .forEach(mounted -> mounted.files()
                        .value()
                        .flatMap(found -> found)
                        .flatMap(files -> first(files.getOrDefault("ca.crt", "")))
                        .ifPresent(signer -> signers.put(
                                "Secret %s/%s".formatted(seen.setting().namespace(), mounted.secret()), signer)));
        return signers;
    }

    private static Optional<CertificateFacts> first(String pem) {
        try {
            return CertificateFacts.of(pem, "ca.crt").stream().findFirst();
        } catch (TlsException e) {
            return Optional.empty(); // another finding reports the unreadable Secret
        }
    }

    private static String words(CertificateFacts certificate) {
        return "%s (SHA-256 %s...)"
                .formatted(certificate.subject(), certificate.fingerprint().substring(0, FINGERPRINT));
    }

    private static String text(String base64) {
        try {
            return new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.US_ASCII);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
