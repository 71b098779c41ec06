package dev.trainyard.simulation.cluster;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.scaler.calls.CallMeter;
import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.calls.NotLeading;
import dev.trainyard.scaler.calls.Pauses;
import dev.trainyard.scaler.leadership.FencedCloud;
import dev.trainyard.scaler.leadership.FencedCluster;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.loop.RoundSchedule;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Significance;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.scaler.report.EventReporter;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Informer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A scaler process that runs the production code for rounds, at the production intervals, in virtual time. The process starts without
 * state.
 */
final class ScalerProcess {

    /** The values of the scaler's flags. */
    record Habits(Duration scanInterval, Duration batchWindow, int priorityCutoff) {}

    /** An observer of the results of rounds. */
    interface Rounds {
        void ended(Round.Result result);

        /** Reports that a round, or a step of a round, failed. Refusals of the API server are not reported. */
        void failed(RuntimeException problem);
    }

    private final VirtualTime time;
    private final Informer<Pod> pods;
    private final ScalersCluster.Watched watched;
    private final Round round;
    private final RoundSchedule pace;
    private final Rounds rounds;
    /** The number of the latest schedule for the next round. Earlier schedules are void. */
    private int turn;

    private long planned = Long.MAX_VALUE;
    private boolean running;
    private boolean alive = true;
    private final List<Runnable> leaving = new ArrayList<>();
    private final Runnable died;

    /**
     * @param leads whether the process is the leader, and so may act
     * @param interference the faults of the requests that this process makes
     * @param died runs if the process is killed in the middle of a request
     */
    ScalerProcess(
            VirtualTime time,
            ApiServer server,
            Evictions evictions,
            CloudProvider cloud,
            Habits habits,
            Lag lag,
            Chance chance,
            EventReporter eventReporter,
            BooleanSupplier leads,
            Interference interference,
            Rounds rounds,
            Runnable died) {
        this.time = time;
        this.rounds = rounds;
        this.died = died;
        this.pods = watch(server.pods(), lag);
        this.watched = new ScalersCluster.Watched(
                pods,
                watch(server.nodes(), lag),
                watch(server.daemonSets(), lag),
                watch(server.budgets(), lag),
                watch(server.pools(), lag),
                watch(server.tiers(), lag),
                watch(server.settings(), lag),
                watch(server.namespaces(), lag));
        var guarded = new Guard(interference);
        var providers = new DisturbedCloud(new FencedCloud(cloud, leads), guarded);
        var clouds = new Clouds(
                ProviderSpec.MEMBERS.stream().collect(Collectors.toMap(member -> member, member -> providers)),
                new Unmetered(),
                (api, call) -> inItsTime(interference.absence(), call),
                Clouds.Timing.USUAL,
                time,
                time::nanos,
                new VirtualPauses(time, chance),
                this::wake);
        this.round = Round.driven(
                new DisturbedCluster(
                        new FencedCluster(new ScalersCluster(server, evictions, watched, guarded), leads), guarded),
                clouds,
                Names.NAMESPACE,
                eventReporter,
                new SimpleMeterRegistry(),
                habits.priorityCutoff());
        this.pace = new RoundSchedule(habits.scanInterval(), habits.batchWindow(), chance::share, time.nanos());
        watchOut();
        plan();
    }

    /** Subscribes to the same changes as the real scaler: {@code dev.trainyard.scaler.cluster.Watches}. */
    private void watchOut() {
        pods.tell(new Sight<>(Significance::isDemand, Significance::beginsToWait, gone -> false, this::wakeForDemand));
        wakeOn(pods, Significance::hasNode, Significance::changesRoom);
        wakeOn(watched.nodes(), node -> true, Significance::changesRoom);
        wakeOn(watched.daemonSets(), set -> true, Significance::specChanged);
        wakeOn(watched.budgets(), budget -> true, Significance::allowanceChanged);
        wakeOn(watched.pools(), pool -> true, Significance::specChanged);
        wakeOn(watched.tiers(), tier -> true, Significance::specChanged);
    }

    private <T extends HasMetadata> void wakeOn(
            Informer<T> informer, Predicate<T> appearanceMatters, BiPredicate<T, T> changeMatters) {
        informer.tell(new Sight<>(appearanceMatters, changeMatters, appearanceMatters, this::wake));
    }

    private <T extends HasMetadata> Informer<T> watch(ObjectStore<T> shelf, Lag lag) {
        var informer = shelf.inform(lag);
        leaving.add(() -> shelf.forget(informer));
        return informer;
    }

    /** Returns the watches of this process, for faults that interrupt them. */
    ScalersCluster.Watched watched() {
        return watched;
    }

    boolean isAlive() {
        return alive;
    }

    /** Ends the process at any point. A round that is waiting never continues. */
    void kill() {
        alive = false;
        turn++;
        leaving.forEach(Runnable::run);
        leaving.clear();
    }

    private void wake() {
        pace.happened(time.nanos());
        plan();
    }

    private void wakeForDemand() {
        pace.demanded(time.nanos());
        plan();
    }

    private void plan() {
        long next = pace.next();
        if (!alive || running || next == planned) {
            return;
        }
        planned = next;
        int of = ++turn;
        time.at(next, () -> {
            if (of == turn) {
                planned = Long.MAX_VALUE;
                look();
            }
        });
    }

    private void look() {
        long now = time.nanos();
        boolean bursting = pace.mayWaitForMore(now)
                && pods.all().stream().anyMatch(pod -> Significance.isDemandToCome(pod, time.instant()));
        if (pace.next() > now) {
            plan();
        } else if (bursting) {
            pace.expected(now);
            plan();
        } else {
            pace.begun(now);
            run();
            plan();
        }
    }

    private void run() {
        running = true;
        try {
            var result = round.run(time::instant);
            pace.ended(
                    time.nanos(),
                    result.next()
                            .map(next -> Duration.between(time.instant(), next))
                            .orElse(null));
            rounds.ended(result);
            result.mistakes().forEach(rounds::failed);
        } catch (NotLeading e) {
            pace.ended(time.nanos(), null);
        } catch (ApiException e) {
            pace.failed(time.nanos());
        } catch (RuntimeException e) {
            pace.failed(time.nanos());
            rounds.failed(e);
        } catch (Interference.Killed e) {
            die();
        } finally {
            running = false;
        }
    }

    /** Runs a cloud call as if on its own thread, which starts after {@code absence}. */
    private void inItsTime(Duration absence, Runnable call) {
        if (absence.isZero()) {
            call.run();
            return;
        }
        time.after(absence, () -> {
            try {
                if (alive) {
                    call.run();
                }
            } catch (Interference.Killed e) {
                die();
            }
        });
    }

    private void die() {
        if (alive) {
            kill();
            died.run();
        }
    }

    /** An interference that also aborts a request or call if the process was killed while the request or call waited. */
    private final class Guard implements Interference {
        private final Interference inner;

        private Guard(Interference inner) {
            this.inner = inner;
        }

        @Override
        public void evicts(PodOnNode pod) {
            inner.evicts(pod);
        }

        @Override
        public void deletes(String node) {
            inner.deletes(node);
        }

        @Override
        public void beforeRequest(String request) {
            inner.beforeRequest(request);
            endIfDead();
        }

        @Override
        public void afterRequest(String request) {
            inner.afterRequest(request);
            endIfDead();
        }

        @Override
        public void beforeCall(String call) throws ProviderException {
            inner.beforeCall(call);
            endIfDead();
        }

        @Override
        public void afterCall(String call) throws ProviderException {
            inner.afterCall(call);
            endIfDead();
        }

        private void endIfDead() {
            if (!alive) {
                throw new Killed();
            }
        }
    }

    /** Pauses in virtual time. */
    private record VirtualPauses(VirtualTime time, Chance chance) implements Pauses {
        @Override
        public void pause(Duration wait) {
            time.passTo(time.nanos() + wait.toNanos());
        }

        @Override
        public long await(java.util.concurrent.locks.Condition signal, long nanos) {
            long until = time.nanos() + nanos;
            if (!time.step(until)) {
                time.passTo(until);
            }
            return until - time.nanos();
        }

        @Override
        public Duration jittered(Duration wait) {
            return Pauses.jittered(wait, chance.share());
        }
    }

    private static final class Unmetered implements CallMeter {
        @Override
        public void called(String provider, String operation, String result, Duration took) {
            // no metrics are kept
        }

        @Override
        public void waited(String provider, String operation, Duration wait) {
            // no metrics are kept
        }
    }

    /** A watch that wakes the scaler if a change matters. */
    private record Sight<T>(
            Predicate<T> appearanceMatters,
            BiPredicate<T, T> changeMatters,
            Predicate<T> disappearanceMatters,
            Runnable wake)
            implements Watch<T> {
        @Override
        public void added(T object) {
            if (appearanceMatters.test(object)) {
                wake.run();
            }
        }

        @Override
        public void changed(T before, T after) {
            if (changeMatters.test(before, after)) {
                wake.run();
            }
        }

        @Override
        public void removed(T last) {
            if (disappearanceMatters.test(last)) {
                wake.run();
            }
        }
    }
}
