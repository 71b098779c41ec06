package dev.trainyard.cli.check;

import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributesBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the API server what Trainyard's ServiceAccounts may do. Whoever may not ask about others may ask about himself: within a pod of
 * Trainyard, about that pod's ServiceAccount.
 */
final class RightsReader {

    private final KubernetesClient client;
    private final Setting setting;

    private RightsReader(KubernetesClient client, Setting setting) {
        this.client = client;
        this.setting = setting;
    }

    static CompletableFuture<Part<List<Held>>> start(
            KubernetesClient client,
            Setting setting,
            Probes probes,
            CompletableFuture<Part<List<TrainingPool>>> pools) {
        var reader = new RightsReader(client, setting);
        return probes.after(pools, found -> reader.read(NeededRights.of(setting, simulatesMachines(found))));
    }

    private static boolean simulatesMachines(Part<List<TrainingPool>> pools) {
        return pools.value().orElse(List.of()).stream()
                .anyMatch(pool -> pool.getSpec() != null
                        && pool.getSpec().provider() != null
                        && pool.getSpec().provider().kwok() != null);
    }

    private List<Held> read(List<Right> rights) {
        try {
            return rights.stream()
                    .map(right -> ofOther(user(right.serviceAccount()), right))
                    .toList();
        } catch (KubernetesClientException e) {
            var self = Answers.missingRight(e).flatMap(any -> self()).orElse("");
            var own = rights.stream()
                    .filter(right -> user(right.serviceAccount()).equals(self))
                    .toList();
            if (own.isEmpty()) {
                throw e;
            }
            return own.stream().map(this::ofSelf).toList();
        }
    }

    private Held ofOther(String user, Right right) {
        var answer = client.authorization()
                .v1()
                .subjectAccessReview()
                .create(new SubjectAccessReviewBuilder()
                        .withNewSpec()
                        .withUser(user)
                        .withGroups(
                                "system:serviceaccounts",
                                "system:serviceaccounts:" + setting.namespace(),
                                "system:authenticated")
                        .withResourceAttributes(attributes(right))
                        .endSpec()
                        .build());
        return new Held(right, user, Boolean.TRUE.equals(answer.getStatus().getAllowed()));
    }

    private Held ofSelf(Right right) {
        var answer = client.authorization()
                .v1()
                .selfSubjectAccessReview()
                .create(new SelfSubjectAccessReviewBuilder()
                        .withNewSpec()
                        .withResourceAttributes(attributes(right))
                        .endSpec()
                        .build());
        return new Held(
                right,
                user(right.serviceAccount()),
                Boolean.TRUE.equals(answer.getStatus().getAllowed()));
    }

    private Optional<String> self() {
        var answer = client.authentication().v1().selfSubjectReviews().create(new SelfSubjectReview());
        return Optional.ofNullable(answer.getStatus())
                .map(status -> status.getUserInfo())
                .map(user -> user.getUsername());
    }

    private String user(String account) {
        return "system:serviceaccount:%s:%s".formatted(setting.namespace(), account);
    }

    private static ResourceAttributes attributes(Right right) {
        int slash = right.resource().indexOf('/');
        var attributes = new ResourceAttributesBuilder()
                .withVerb(right.verb())
                .withGroup(right.group())
                .withResource(slash < 0 ? right.resource() : right.resource().substring(0, slash));
        if (slash >= 0) {
            attributes.withSubresource(right.resource().substring(slash + 1));
        }
        if (!right.namespace().isEmpty()) {
            attributes.withNamespace(right.namespace());
        }
        if (!right.name().isEmpty()) {
            attributes.withName(right.name());
        }
        return attributes.build();
    }
}
