package dev.trainyard.simulation.cluster;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.KnownPods;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import dev.trainyard.extender.score.PolicyName;
import dev.trainyard.extender.score.Scorer;
import dev.trainyard.extender.workload.TypicalWorkload;
import dev.trainyard.extender.workload.WorkloadLearner;
import dev.trainyard.runtime.configuration.CatalogueCache;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Informer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.Watch;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The extender, with its production filter and scorer. Watches feed both as in production. Calls are method calls, without HTTP. */
final class ExtenderModel {

    private final NodeIndex index;
    private final KnownPods known = new KnownPods();
    private final Filter filter;
    private final Scorer scorer;
    private final Informer<TrainingPool> pools;
    private final Informer<TrainingTier> tiers;
    private final Informer<TrainingCluster> settings;
    private final CatalogueCache current = new CatalogueCache();
    private Catalogue catalogue = Catalogue.EMPTY;
    private long calls;

    /** @param clock the wall clock */
    ExtenderModel(ApiServer server, InstantSource clock, Lag lag, PolicyName policy) {
        index = new NodeIndex(clock);
        filter = new Filter(clock);
        scorer = new Scorer(policy.with(new TypicalWorkload(List.of())));
        index.watch(known);
        if (policy.learns()) {
            index.watch(new WorkloadLearner(workload -> scorer.adopt(policy.with(workload))));
        }
        pools = server.pools().inform(lag);
        tiers = server.tiers().inform(lag);
        settings = server.settings().inform(lag);
        pools.tell(new Feed<>(pool -> configure(), pool -> configure()));
        tiers.tell(new Feed<>(tier -> configure(), tier -> configure()));
        settings.tell(new Feed<>(any -> configure(), any -> configure()));
        server.nodes().inform(lag).tell(new Feed<>(index::put, index::remove));
        server.pods().inform(lag).tell(new Feed<>(index::put, index::remove));
    }

    /** The extender's answer about a pod: the nodes that passed, and the number of excluded nodes by reason. */
    record Judged(TieredPod pod, List<IndexedNode> passed, Map<String, Integer> refusals) {}

    Judged filter(Pod pod, List<String> nodes) {
        calls++;
        var facts = known.get(pod.getMetadata().getUid()).orElseGet(() -> PodFacts.of(pod));
        var tiered = TieredPod.of(facts, catalogue);
        Verdicts verdicts = filter.judge(tiered, nodes.stream().map(index::node).toList());
        return new Judged(tiered, verdicts.passed(), verdicts.histogram());
    }

    /** Returns how often the filter was called. */
    long calls() {
        return calls;
    }

    /** Returns the best of the nodes that passed. At least one must have passed. */
    String best(Judged judged) {
        var nodes = judged.passed();
        return scorer.best(judged.pod(), nodes).orElse(nodes.get(0)).name();
    }

    private void configure() {
        var before = catalogue;
        catalogue = current.of(pools.all(), tiers.all(), settings.all());
        if (!catalogue.equals(before)) {
            index.configure(catalogue);
        }
    }

    /** A watch that forwards the objects of one kind. */
    private record Feed<T>(Consumer<T> put, Consumer<T> remove) implements Watch<T> {
        @Override
        public void added(T object) {
            put.accept(object);
        }

        @Override
        public void changed(T before, T after) {
            put.accept(after);
        }

        @Override
        public void removed(T last) {
            remove.accept(last);
        }
    }
}
