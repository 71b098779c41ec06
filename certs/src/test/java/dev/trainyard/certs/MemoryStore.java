package dev.trainyard.certs;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An in-memory store that behaves like a Secret of the API server: every write needs the version that it replaces. */
class MemoryStore implements AuthorityStore {
    private @Nullable Map<String, String> data;
    private int version;
    int writes;
    boolean readable = true;
    boolean writable = true;

    @Override
    public Optional<Stored> read() {
        if (!readable) {
            throw new TlsException("Secret test cannot be read: down");
        }
        return Optional.ofNullable(data).map(texts -> new Stored(Map.copyOf(texts), String.valueOf(version)));
    }

    @Override
    public boolean write(Map<String, String> texts, @Nullable String expected) {
        if (!writable) {
            throw new TlsException("Secret test cannot be written: forbidden");
        }
        var present = data == null ? null : String.valueOf(version);
        if (present == null ? expected != null : !present.equals(expected)) {
            return false;
        }
        var all = new HashMap<>(data == null ? Map.of() : data);
        all.keySet().removeAll(SharedAuthority.NAMES);
        all.putAll(texts);
        set(all);
        writes++;
        return true;
    }

    /** Replaces the data, as another writer would. */
    void set(@Nullable Map<String, String> texts) {
        data = texts;
        version++;
    }

    Map<String, String> data() {
        return data == null ? Map.of() : data;
    }

    @Override
    public String name() {
        return "Secret test";
    }
}
