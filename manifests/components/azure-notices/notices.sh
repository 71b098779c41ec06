#!/bin/sh
# Asks Azure's metadata service once a second whether Azure will preempt or terminate this machine, and writes the answer as the condition
# VMEventScheduled of the machine's node. docs/azure.md describes the condition.
#
# NODE_NAME: the node. METADATA_URL, SERVICE_ACCOUNT_DIRECTORY and STATE_DIRECTORY: only for tests.
#
# An answer that cannot be read is unknown: the condition stays as it is. The file "reads" exists while answers can be read.
set -u

: "${NODE_NAME:?expected the name of the node}"
metadata="${METADATA_URL:-http://169.254.169.254}/metadata"
account="${SERVICE_ACCOUNT_DIRECTORY:-/var/run/secrets/kubernetes.io/serviceaccount}"
reads="${STATE_DIRECTORY:-/tmp}/reads"
case $KUBERNETES_SERVICE_HOST in
*:*) host="[$KUBERNETES_SERVICE_HOST]" ;;
*) host=$KUBERNETES_SERVICE_HOST ;;
esac
node="https://$host:$KUBERNETES_SERVICE_PORT/api/v1/nodes/$NODE_NAME/status?fieldManager=trainyard-azure-notices"

# Seconds between two writes of an unchanged condition. Another client may have removed it, or the Node was created again.
repeat=300
# Seconds before a failed write is repeated, if nothing urgent is to be written.
pause=10

# Reads the answer of the metadata service from the input. Prints type, identifier and time of the most urgent event that ends the machine
# VM_NAME. The time is missing if the event has started. Fails if the input is not such an answer.
# https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events
parse='
{ text = text $0 "\n" }

END {
    months = "JanFebMarAprMayJunJulAugSepOctNovDec"
    machine = tolower(ENVIRON["VM_NAME"])
    while (text != "") {
        if (match(text, /^[ \t\r\n]+/)) {
            # Between two signs.
        } else if (match(text, /^"([^"\\]|\\.)*"/)) {
            string(substr(text, 2, RLENGTH - 2))
        } else if (match(text, /^[^][{}",: \t\r\n]+/)) {
            latest = ""
        } else if (match(text, /^[][{}:,]/)) {
            punctuation(substr(text, 1, 1))
        } else {
            exit 1
        }
        text = substr(text, RLENGTH + 1)
    }
    if (depth != 0 || !complete) {
        exit 1
    }
    if (found != "") {
        print found
    }
}

# The events are objects at depth 3: in an array, in an object.
function string(value) {
    latest = value
    if (inEvents && depth == 3 && isValue) {
        field[key] = value
    }
    if (inEvents && depth == 4 && key == "Resources" && tolower(value) == machine) {
        affected = 1
    }
}

function punctuation(sign) {
    if (sign == ":" && (depth == 1 || depth == 3)) {
        key = latest
        isValue = 1
    } else if (sign == "," && (depth == 1 || depth == 3)) {
        isValue = 0
    } else if (sign == "{" || sign == "[") {
        depth++
        if (depth == 2) {
            inEvents = sign == "[" && key == "Events"
        } else if (depth == 3) {
            isValue = affected = 0
            split("", field)
        }
    } else if (sign == "}" || sign == "]") {
        if (inEvents && depth == 3) {
            event()
        } else if (inEvents && depth == 2) {
            complete = 1
        }
        depth--
    }
}

function event(    time, order) {
    if (!affected || (field["EventType"] != "Preempt" && field["EventType"] != "Terminate")) {
        return
    }
    gsub(/[^0-9A-Za-z-]/, "", field["EventId"])
    time = field["NotBefore"]
    if (time !~ /^[A-Z][a-z][a-z], [0-9]?[0-9] [A-Z][a-z][a-z] [0-9][0-9][0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9] GMT$/) {
        time = ""
    }
    if (time != "") {
        split(time, part, " ")
        order = sprintf("%s %02d %02d %s", part[4], index(months, part[3]), part[2], part[5])
    }
    if (found == "" || order < first) {
        first = order
        found = field["EventType"] " " (field["EventId"] == "" ? "unknown" : field["EventId"]) " " time
    }
}
'

now() {
    date -u +%Y-%m-%dT%H:%M:%SZ
}

log() {
    echo "$(now) node $NODE_NAME: $1"
}

# Logs a failure, unless it is the same as the last one.
complain() {
    if [ "$1" != "$complaint" ]; then
        complaint=$1
        log "$1"
    fi
}

# Asks the metadata service, for at most so many seconds.
ask() {
    curl --silent --show-error --fail --noproxy '*' --connect-timeout 2 --max-time "$1" --max-filesize 1048576 \
        --header 'Metadata: true' "$metadata/$2" 2>&1
}

# The token does not become an argument, which other processes could see.
write() {
    printf 'Authorization: Bearer %s' "$(cat "$account/token")" | curl --silent --show-error --fail-with-body --noproxy '*' \
        --max-time 5 --cacert "$account/ca.crt" --request PATCH --header @- \
        --header 'Content-Type: application/strategic-merge-patch+json' --data "$1" "$node" 2>&1
}

trap 'exit 0' TERM INT
complaint=""
rm -f "$reads"

until VM_NAME=$(ask 5 "instance/compute/name?api-version=2020-06-01&format=text") && [ -n "$VM_NAME" ]; do
    complain "the metadata service does not state the name of the machine, expected a virtual machine of Azure: $VM_NAME"
    sleep 1
done
export VM_NAME
log "is the machine $VM_NAME"

limit=130 # Azure's first answer may take two minutes.
answer=unread
kept=""
known=""
wanted=""
written=""
wait=0
while true; do
    if latest=$(ask "$limit" "scheduledevents?api-version=2020-07-01"); then
        if [ "$latest" != "$answer" ]; then
            if event=$(printf '%s\n' "$latest" | awk "$parse"); then
                answer=$latest
            else
                answer=unread
                complain "the metadata service gave an answer that is not a list of scheduled events: $(printf '%.300s' "$latest")"
            fi
        fi
    else
        answer=unread
        complain "the metadata service does not state the scheduled events: $(printf '%.300s' "$latest")"
    fi

    if [ "$answer" = unread ]; then
        rm -f "$reads"
    else
        limit=5
        [ -e "$reads" ] || : >"$reads"
        # shellcheck disable=SC2086 # an event is several words
        set -- $event
        if [ $# -eq 0 ]; then
            status=False reason=NoReclaimScheduled message="Azure will neither preempt nor terminate the machine" kept=""
        else
            type=$1 id=$2
            shift 2
            # An event that has started states no time any more.
            case "$kept" in
            "$type $id "*) [ $# -gt 0 ] || set -- "${kept#"$type $id "}" ;;
            esac
            kept="$type $id $*"
            status=True reason=ReclaimScheduled message="$type by Azure, event $id"
            [ -z "$*" ] || message="$type by Azure, NotBefore $*, event $id"
        fi
        if [ "$status" != "$known" ]; then
            known=$status
            since=$(now)
        fi
        if [ "$status $message" != "$wanted" ]; then
            wanted="$status $message"
            wait=0
        fi
        if [ "$wait" -eq 0 ]; then
            condition="{\"type\":\"VMEventScheduled\",\"status\":\"$status\",\"reason\":\"$reason\",\"message\":\"$message\""
            condition="$condition,\"lastTransitionTime\":\"$since\",\"lastHeartbeatTime\":\"$(now)\"}"
            if reply=$(write "{\"status\":{\"conditions\":[$condition]}}"); then
                [ "$wanted" = "$written" ] || log "$message"
                written=$wanted
                wait=$repeat
                complaint=""
            else
                complain "VMEventScheduled=$status cannot be written, and is tried again: $(printf '%.300s' "$reply")"
                wait=1
                [ "$status" = True ] || wait=$pause
            fi
        fi
        wait=$((wait - 1))
    fi
    sleep 1
done
