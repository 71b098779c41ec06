package dev.trainyard.cloud.azure;

import com.azure.core.credential.AccessToken;
import dev.trainyard.certs.TlsMaterial;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.azure.ArmRequest;
import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.emulator.azure.AzurePace;
import dev.trainyard.emulator.azure.EmulatedScaleSet;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.Objects.PoolBuilder;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudStage;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import reactor.core.publisher.Mono;

/** The Azure emulator with one scale set of spot machines, and the real provider over TLS. Rounds read the set while time passes. */
final class ScaleSetStage implements CloudStage {

    static final String SET = "k8s-heavyspot-vmss";
    static final Predicate<ArmRequest> ANY = request -> true;
    static final Predicate<ArmRequest> CHANGES = ArmRequest::changes;

    /** A time that is longer than a reading is valid. */
    private static final Duration A_WHILE = Duration.ofSeconds(61);

    final MovedClock clock = new MovedClock();
    final AzureEmulator arm = AzureEmulator.start(clock, AzurePace.USUAL);
    final EmulatedScaleSet set = arm.scaleSet(SET);
    private final Duration timeout;
    private ScaleSetProvider provider;
    private boolean isFlexible;
    /** The number of missing machines that a flexible set's size still included after the set had settled. */
    private int missing;

    ScaleSetStage() {
        this(Duration.ofSeconds(5));
    }

    /** @param timeout the timeout of requests, in real time */
    ScaleSetStage(Duration timeout) {
        this.timeout = timeout;
        start();
    }

    static Pool pool(String name, String set, int max) {
        return Pool.of(name, spec(Objects.spot(1).max(max), set));
    }

    static TrainingPoolSpec spec(PoolBuilder like, String set) {
        return with(
                like,
                new ProviderSpec(
                        new AzureScaleSet(AzureEmulator.SUBSCRIPTION, AzureEmulator.GROUP, set), null, null, null));
    }

    static TrainingPoolSpec with(PoolBuilder like, ProviderSpec provider) {
        var spec = like.spec();
        return new TrainingPoolSpec(
                provider,
                spec.capacityType(),
                spec.min(),
                spec.max(),
                spec.spare(),
                spec.promise(),
                spec.hourlyPrice(),
                spec.provisionTimeout(),
                spec.scaleDown());
    }

    /** Returns the same connection as for Azure, except for the credentials and the timeout. */
    static AzureAccess access(AzureEmulator arm, Duration timeout) {
        return AzureConnector.access(
                arm.url().toString(),
                AzureConnector.http(
                        new TlsMaterial(arm.authorityPem(), "", "", Instant.MAX).sslContextWithoutCertificate(),
                        timeout),
                request -> Mono.just(new AccessToken(
                        "token-1", OffsetDateTime.now(ZoneOffset.UTC).plusHours(1))),
                timeout);
    }

    @Override
    public Set<Ability> abilities() {
        var abilities = EnumSet.of(
                Ability.RUNS_OUT,
                Ability.REMEMBERS_FAILURES,
                Ability.MAKES_SLOWLY,
                Ability.LOSES_MACHINES,
                Ability.IS_RESIZED,
                Ability.FAILS,
                Ability.LOSES_ANSWERS);
        if (isFlexible) {
            abilities.remove(Ability.REMEMBERS_FAILURES);
        }
        return abilities;
    }

    @Override
    public CloudProvider provider() {
        return provider;
    }

    @Override
    public Pool pool() {
        return pool("heavy-spot", SET, 20);
    }

    /** Returns a stage with a set with flexible orchestration. */
    static ScaleSetStage flexible() {
        var stage = new ScaleSetStage();
        stage.set.orchestration("Flexible");
        stage.isFlexible = true;
        return stage;
    }

    @Override
    public int target() {
        arm.advance();
        return set.capacity() - missing;
    }

    @Override
    public Set<String> machines() {
        arm.advance();
        return set.present();
    }

    @Override
    public void appear() {
        clock.move(Duration.ofSeconds(1));
    }

    @Override
    public void settle() {
        clock.move(Duration.ofMinutes(5));
        arm.advance();
        if (isFlexible) {
            missing = set.capacity() - set.present().size();
            readForAMinute();
        }
    }

    private void readForAMinute() {
        for (int reading = 0; reading < 6; reading++) {
            clock.move(Duration.ofSeconds(10));
            try {
                provider.read(pool());
            } catch (ProviderException e) {
                // A round without a reading, as if the cloud refused all requests.
            }
        }
    }

    @Override
    public void stock(int machines) {
        set.stock(machines);
    }

    @Override
    public void vanish(String machine) {
        set.evict(machine);
        clock.move(A_WHILE);
    }

    @Override
    public void resize(int target) {
        // A flexible set applies the difference to its old size.
        set.resize(isFlexible ? set.capacity() + target - set.present().size() : target);
        clock.move(A_WHILE);
    }

    @Override
    public void throttle() {
        arm.trouble(ANY, AzureFault.THROTTLED_WITH_RETRY_AFTER);
        clock.move(A_WHILE);
    }

    @Override
    public void breakDown() {
        arm.trouble(ANY, AzureFault.RESET);
        clock.move(A_WHILE);
    }

    @Override
    public void forbid() {
        arm.trouble(ANY, AzureFault.FORBIDDEN);
        clock.move(A_WHILE);
    }

    @Override
    public void loseAnswer() {
        arm.troubleOnce(CHANGES, AzureFault.LOST_ANSWER);
    }

    @Override
    public void clearFaults() {
        arm.clearFaults();
        clock.move(A_WHILE);
    }

    @Override
    public void restart() {
        start();
        if (isFlexible) {
            readForAMinute();
        }
    }

    /** Starts a new process, before its first round. */
    void start() {
        start(clock);
    }

    /** Starts a new process with a clock that never returns the same time twice, like a real clock. */
    void startWithTickingClock() {
        start(() -> {
            clock.move(Duration.ofNanos(1));
            return clock.instant();
        });
    }

    private void start(InstantSource ofProvider) {
        var access = access(arm, timeout);
        provider = new ScaleSetProvider(new Subscriptions(() -> access, clock), ofProvider);
    }

    @Override
    public void close() {
        arm.close();
    }
}
