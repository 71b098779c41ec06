package dev.trainyard.cli.check;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.trainyard.runtime.resource.TrainingPool;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributesBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A reader of the rights of Trainyard's ServiceAccounts. If the user who runs the check may not ask about other users, the reader reads
 * only that user's own rights. In a pod of Trainyard, the user is the pod's ServiceAccount.
 */
final class RightsReader {

    /** The number of parallel requests: enough for a slow API server, and within its limit for one user. */
    private static final int AT_A_TIME = 8;

    private final KubernetesClient client;
    private final CheckedInstallation setting;
    private final Probes probes;

    private RightsReader(KubernetesClient client, CheckedInstallation setting, Probes probes) {
        this.client = client;
        this.setting = setting;
        this.probes = probes;
    }

    static CompletableFuture<ReadResult<List<RightAnswer>>> start(
            KubernetesClient client,
            CheckedInstallation setting,
            Probes probes,
            CompletableFuture<ReadResult<List<Deployment>>> deployments,
            CompletableFuture<ReadResult<List<TrainingPool>>> pools) {
        var reader = new RightsReader(client, setting, probes);
        var needed = deployments.thenCombine(
                pools,
                (parts, found) -> NeededRights.of(
                        setting, !ComponentDeployments.haveNoExtender(parts), simulatesMachines(found)));
        return probes.during(needed, reader::read)
                .exceptionally(e -> ReadResult.unread(String.valueOf(e.getMessage())));
    }

    private static boolean simulatesMachines(ReadResult<List<TrainingPool>> pools) {
        return pools.value().orElse(List.of()).stream()
                .anyMatch(pool -> pool.getSpec() != null
                        && pool.getSpec().provider() != null
                        && pool.getSpec().provider().kwok() != null);
    }

    private ReadResult<List<RightAnswer>> read(List<Right> rights) {
        var first = probes.start(() -> mayAskAboutOthers(rights.get(0))).join();
        if (first.value().isEmpty()) {
            return ReadResult.unread(first.problem());
        }
        if (first.value().get().isEmpty()) {
            return ReadResult.of(askAll(rights, this::ofOther));
        }
        var self = probes.start(this::self).join().value().flatMap(name -> name);
        var own = rights.stream()
                .filter(right ->
                        self.filter(user(right.serviceAccount())::equals).isPresent())
                .toList();
        return own.isEmpty()
                ? ReadResult.unread(ClusterErrors.missing(first.value().get().get()))
                : ReadResult.of(askAll(own, this::ofSelf));
    }

    /** Returns the right to ask about other users if the user who runs the check lacks this right; empty otherwise. */
    private Optional<String> mayAskAboutOthers(Right any) {
        try {
            ofOther(any);
            return Optional.empty();
        } catch (KubernetesClientException e) {
            var missing = ClusterErrors.missingRight(e);
            if (missing.isEmpty()) {
                throw e;
            }
            return missing;
        }
    }

    private List<RightAnswer> askAll(List<Right> rights, Predicate<Right> ask) {
        var left = new ConcurrentLinkedQueue<>(rights);
        var askers = Stream.generate(() -> probes.during(completedFuture(left), queue -> askInTurn(queue, ask)))
                .limit(AT_A_TIME)
                .toList();
        var answers = new HashMap<Right, ReadResult<Boolean>>();
        askers.forEach(asker -> answers.putAll(asker.join()));
        return rights.stream()
                .map(right -> new RightAnswer(
                        right,
                        user(right.serviceAccount()),
                        answers.getOrDefault(
                                right, ReadResult.unread("not asked, because other requests got no answer"))))
                .toList();
    }

    /**
     * Asks about the rights one by one, each with its own timeout. Stops after an unanswered request, so that a hanging server costs only
     * one timeout.
     */
    private Map<Right, ReadResult<Boolean>> askInTurn(Queue<Right> left, Predicate<Right> ask) {
        var answers = new HashMap<Right, ReadResult<Boolean>>();
        boolean answered = true;
        while (answered && !left.isEmpty()) {
            var right = Optional.ofNullable(left.poll()); // empty if another thread took the last right
            var answer = right.map(one -> probes.start(() -> ask.test(one)).join());
            right.ifPresent(one -> answers.put(one, answer.orElseThrow()));
            answered = answer.map(part -> part.value().isPresent()).orElse(true);
        }
        return answers;
    }

    private boolean ofOther(Right right) {
        var answer = client.authorization()
                .v1()
                .subjectAccessReview()
                .create(new SubjectAccessReviewBuilder()
                        .withNewSpec()
                        .withUser(user(right.serviceAccount()))
                        .withGroups(
                                "system:serviceaccounts",
                                "system:serviceaccounts:" + setting.namespace(),
                                "system:authenticated")
                        .withResourceAttributes(attributes(right))
                        .endSpec()
                        .build());
        return Boolean.TRUE.equals(answer.getStatus().getAllowed());
    }

    private boolean ofSelf(Right right) {
        var answer = client.authorization()
                .v1()
                .selfSubjectAccessReview()
                .create(new SelfSubjectAccessReviewBuilder()
                        .withNewSpec()
                        .withResourceAttributes(attributes(right))
                        .endSpec()
                        .build());
        return Boolean.TRUE.equals(answer.getStatus().getAllowed());
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
