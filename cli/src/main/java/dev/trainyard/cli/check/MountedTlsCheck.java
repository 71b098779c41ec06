package dev.trainyard.cli.check;

import dev.trainyard.certs.CertificateFacts;
import dev.trainyard.core.TroubleshootingTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A check that certificates of cert-manager or of a user are valid, and that the webhook's certificate contains its names. */
final class MountedTlsCheck implements Check {

    private static final String ABOUT = "certificates";
    private static final String TODO =
            "renew the files at their source: with cert-manager, see 'kubectl describe certificate'; by hand, run "
                    + "'./trainyard certs issue'; components load mounted files within ten seconds";

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.admission()
                .mounted()
                .findings(
                        ABOUT,
                        all -> all.stream()
                                .flatMap(mounted -> mounted
                                        .files()
                                        .findings(
                                                ABOUT,
                                                found -> found.map(files -> look(mounted, files, seen))
                                                        .orElse(List.of())) // another check reports a missing Secret
                                        .stream())
                                .distinct()
                                .toList());
    }

    private static List<Finding> look(MountedTls mounted, Map<String, String> files, ClusterSnapshot seen) {
        var authorities = validity(mounted, seen, "ca.crt", "the CA");
        var leaf = validity(mounted, seen, "tls.crt", "the certificate");
        var authorityText = files.getOrDefault("ca.crt", "");
        var trusted = authorities.read(authorityText);
        var findings = new ArrayList<Finding>();
        findings.add(trusted.map(all -> authorities.ofAny(all, seen.at()))
                .orElseGet(() -> authorities.unreadable(authorityText)));
        var leafText = files.getOrDefault("tls.crt", "");
        if (leafText.isEmpty() && files.containsKey(MountedTls.CA_KEY)) {
            return findings; // each replica signs its own certificate
        }
        var shown = leaf.read(leafText);
        findings.add(shown.map(all -> leaf.of(all.get(0), seen.at())).orElseGet(() -> leaf.unreadable(leafText)));
        shown.ifPresent(chain -> {
            issuer(leaf, chain, trusted.orElse(List.of())).ifPresent(findings::add);
            names(leaf, chain.get(0), callers(mounted, seen)).ifPresent(findings::add);
        });
        return findings;
    }

    private static Validity validity(MountedTls mounted, ClusterSnapshot seen, String file, String what) {
        return new Validity(
                ABOUT,
                "Secret %s/%s".formatted(seen.setting().namespace(), mounted.secret()),
                "data[%s]".formatted(file),
                what,
                true,
                TroubleshootingTopic.CERTIFICATES,
                TODO);
    }

    private static Optional<Finding> issuer(
            Validity leaf, List<CertificateFacts> chain, List<CertificateFacts> trusted) {
        var known = trusted.stream().map(CertificateFacts::subject).collect(Collectors.toSet());
        return trusted.isEmpty() || chain.stream().anyMatch(one -> known.contains(one.issuer()))
                ? Optional.empty()
                : Optional.of(Finding.error(
                                ABOUT,
                                "%s: no CA in ca.crt issued the certificate, so no client trusts the certificate"
                                        .formatted(leaf.object()))
                        .on(leaf.object())
                        .field(
                                leaf.field(),
                                "issued by " + chain.get(0).issuer(),
                                "issued by " + String.join(" or ", known))
                        .todo("add the issuing CA to ca.crt, as in docs/certificates.md")
                        .see(TroubleshootingTopic.CERTIFICATES));
    }

    private static Optional<Finding> names(Validity leaf, CertificateFacts certificate, Set<String> callers) {
        var missing = callers.stream()
                .filter(name -> certificate.names().stream().noneMatch(one -> covers(one, name)))
                .toList();
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.error(
                                ABOUT,
                                "%s: the certificate does not cover the name that clients call"
                                        .formatted(leaf.object()))
                        .on(leaf.object())
                        .field(
                                leaf.field(),
                                "for " + String.join(", ", certificate.names()),
                                "for " + String.join(", ", missing))
                        .todo(
                                "issue a certificate that also covers this name (subjectAltName), as in docs/certificates.md")
                        .see(TroubleshootingTopic.CERTIFICATES));
    }

    private static boolean covers(String certified, String name) {
        int dot = name.indexOf('.');
        return certified.equalsIgnoreCase(name)
                || (certified.startsWith("*.")
                        && dot > 0
                        && certified.substring(1).equalsIgnoreCase(name.substring(dot)));
    }

    /** Returns the names by which the component with this certificate is called; empty unless the component is the webhook. */
    private static Set<String> callers(MountedTls mounted, ClusterSnapshot seen) {
        if (!mounted.flag().equals("--tls-dir") || !mounted.component().equals("webhook")) {
            return Set.of(); // the scheduler is a client, and an Event reports failed calls of the scaler
        }
        return RegistrationCheck.services(seen)
                .map(service -> "%s.%s.svc".formatted(service.getName(), service.getNamespace()))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
