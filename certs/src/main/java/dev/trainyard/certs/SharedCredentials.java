package dev.trainyard.certs;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Credentials of one replica, signed by a CA that all replicas share. Each replica maintains the CA: the replica creates a missing CA,
 * replaces an unusable CA, and creates a successor in time. If several replicas write, the first write wins, and the other replicas read
 * the result. Each replica signs a leaf for itself, which stays in memory. Thread-safe.
 */
public final class SharedCredentials implements Credentials {
    private static final Logger log = LoggerFactory.getLogger(SharedCredentials.class);

    /**
     * The number of attempts to write a change. An attempt fails if another replica wrote first. Few attempts are enough, because the CA
     * that the other replica wrote rarely needs a further change at once.
     */
    private static final int ATTEMPTS = 5;

    private final AuthorityStore store;
    private final LeafRequest wanted;
    private final Lifetimes lifetimes;
    private final Verifiers verifiers;
    private final Consumer<Succession.Change> changes;
    private ReplicaLeaf own; // guarded by this
    private volatile TlsMaterial current;

    private SharedCredentials(
            AuthorityStore store,
            LeafRequest wanted,
            Lifetimes lifetimes,
            Verifiers verifiers,
            Consumer<Succession.Change> changes,
            Instant now) {
        this.store = store;
        this.wanted = wanted.withValidity(lifetimes.leaf());
        this.lifetimes = lifetimes;
        this.verifiers = verifiers;
        this.changes = changes;
        this.own = ReplicaLeaf.first(agreed(now).authority, this.wanted, now);
        this.current = own.material();
        log.atInfo()
                .addKeyValue("ca", store.name())
                .addKeyValue("notAfter", current.notAfter())
                .log("signed a certificate");
    }

    /**
     * Reads the CA, or creates it if there is none.
     *
     * @param verifiers verifiers of the component's certificates; a new CA signs only after they trust it
     * @param changes receives each change that this replica made to the stored CA
     * @throws TlsException if a CA can be neither read nor created
     */
    public static SharedCredentials open(
            AuthorityStore store,
            LeafRequest wanted,
            Lifetimes lifetimes,
            Verifiers verifiers,
            Consumer<Succession.Change> changes,
            Instant now) {
        return new SharedCredentials(store, wanted, lifetimes, verifiers, changes, now);
    }

    @Override
    public TlsMaterial current() {
        return current;
    }

    /** Renews the leaf if it is due. Uses the CA in memory; {@link #look} reads the stored CA. */
    @Override
    public synchronized boolean refresh(Instant now) {
        return use(own.authority(), now);
    }

    /**
     * Reads the stored CA, changes it if a change is due, and uses the result.
     *
     * @return whether {@link #current()} changed
     * @throws TlsException if the CA could not be read, used or written; the last good CA stays in use
     */
    public synchronized boolean look(Instant now) {
        var agreed = agreed(now);
        boolean changed = use(agreed.authority, now);
        if (agreed.problem != null) {
            throw agreed.problem;
        }
        return changed;
    }

    private boolean use(SharedAuthority authority, Instant now) {
        var before = own;
        own = before.with(authority, wanted, now, verifiers, lifetimes);
        if (!own.leaf().equals(before.leaf())) {
            log.atInfo()
                    .addKeyValue("ca", store.name())
                    .addKeyValue("notAfter", own.leaf().notAfter())
                    .addKeyValue("reason", reason(before, own, now))
                    .log("signed a certificate");
        }
        if (own.material().equals(current)) {
            return false;
        }
        current = own.material();
        return true;
    }

    private static String reason(ReplicaLeaf before, ReplicaLeaf after, Instant now) {
        if (!after.issuer().equals(before.issuer())) {
            return "another CA signs";
        }
        return now.isBefore(before.leaf().notBefore())
                ? "the previous certificate is not valid yet"
                : "two thirds of the previous certificate's lifetime have passed";
    }

    /** @param problem why a due change was not written; null if there was no error */
    private record Agreed(
            SharedAuthority authority, @Nullable TlsException problem) {}

    private Agreed agreed(Instant now) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var stored = store.read();
            var decision =
                    Succession.decide(stored.map(AuthorityStore.Stored::data).orElse(null), now, verifiers, lifetimes);
            var usable = decision.usable();
            if (decision.write().isEmpty()) {
                return new Agreed(required(usable), null);
            }
            var write = decision.write().get();
            try {
                if (written(write, stored)) {
                    return new Agreed(write.content(), null);
                }
            } catch (TlsException e) {
                if (usable == null) {
                    throw e;
                }
                return new Agreed(usable, e);
            }
        }
        throw new TlsException(
                store.name() + " changed during each attempt to update it; find the other program that changes it");
    }

    private boolean written(Succession.Write write, Optional<AuthorityStore.Stored> stored) {
        Map<String, String> data = write.content().data();
        if (!store.write(data, stored.map(AuthorityStore.Stored::version).orElse(null))) {
            return false;
        }
        var level = write.change() == Succession.Change.REPLACED ? Level.WARN : Level.INFO;
        log.atLevel(level)
                .addKeyValue("ca", store.name())
                .addKeyValue("reason", write.reason())
                .log("the shared CA was {}", write.change().word());
        changes.accept(write.change());
        return true;
    }

    private static SharedAuthority required(@Nullable SharedAuthority usable) {
        if (usable == null) {
            throw new IllegalStateException("expected a usable CA or a CA to write, but found none");
        }
        return usable;
    }
}
