package dev.trainyard.core.gang;

import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gang.GangClaim.Malformed;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A reference to the object that says how many pods a gang has, such as a JobSet or a PodGroup. The name is a valid name of an object, so that
 * it can be a part of a URL.
 *
 * @param group the API group, such as {@code jobset.x-k8s.io}. The version is whichever the API server prefers
 * @param uid the UID of the object. An object of the same name with another UID is another object. Empty if the pod does not say it
 */
public record GangObject(String group, String kind, String namespace, String name, Optional<String> uid) {

    /** The longest name of an object in characters. */
    private static final int LONGEST_NAME = 253;

    /** A DNS subdomain, as Kubernetes requires of names. */
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*+");

    /**
     * Returns the claim of a pod that names an object in its namespace.
     *
     * @param field the label, annotation or field that has the name
     * @param claim returns the claim for the object. It is not called if the name is invalid
     */
    static GangClaim named(
            String group, String kind, Pod pod, String field, String name, Function<GangObject, GangClaim> claim) {
        return isName(name)
                ? claim.apply(new GangObject(group, kind, namespace(pod), name, Optional.empty()))
                : new Malformed(
                        "", "", "%s is '%s'; expected the name of a %s".formatted(field, UserText.shown(name), kind));
    }

    /** Returns the pod's namespace; the text is empty if the pod has none yet. */
    static String namespace(Pod pod) {
        return Objects.requireNonNullElse(pod.getMetadata().getNamespace(), "");
    }

    /** Returns a reference to an owner of the pod. */
    static GangObject of(OwnerReference owner, Pod pod) {
        return new GangObject(
                owner.getApiVersion().replaceFirst("/.*", ""),
                owner.getKind(),
                namespace(pod),
                owner.getName(),
                Optional.of(owner.getUid()));
    }

    /**
     * Returns the owner that controls the pod; empty if the pod has none.
     *
     * @param group the API group of the owner
     */
    static Optional<OwnerReference> controllerOf(Pod pod, String group) {
        var owners = pod.getMetadata().getOwnerReferences();
        return owners == null
                ? Optional.empty()
                : owners.stream()
                        .filter(owner -> owner != null
                                && Boolean.TRUE.equals(owner.getController())
                                && owner.getApiVersion() != null
                                && owner.getApiVersion().startsWith(group + "/")
                                && owner.getKind() != null
                                && owner.getName() != null
                                && isName(owner.getName())
                                && owner.getUid() != null)
                        .findFirst();
    }

    private static boolean isName(String text) {
        return text.length() <= LONGEST_NAME && NAME.matcher(text).matches();
    }

    /** Returns the reference with the UID; null if the UID is unknown. */
    public GangObject withUid(@Nullable String known) {
        return new GangObject(
                group,
                kind,
                namespace,
                name,
                Optional.ofNullable(known).filter(text -> !text.isEmpty() && text.length() <= LONGEST_NAME));
    }

    /**
     * Returns the identity of the object. It contains the namespace, since the author of a pod chooses the
     * UID that the pod states: it must not become a member of a gang of another namespace.
     */
    String key() {
        return uid.map(known -> "%s %s".formatted(this, known)).orElseGet(this::toString);
    }

    /** Returns the name of the API resource: the kind in lower case with an s. This holds for all kinds that gangs are read from. */
    public String resource() {
        return kind.toLowerCase(Locale.ROOT) + "s";
    }

    /** Returns kind, namespace and name, such as {@code JobSet team/train}. */
    @Override
    public String toString() {
        return "%s %s/%s".formatted(kind, namespace, name);
    }
}
