{{/* A copied file of the kustomizations, in the namespace of the release. */}}
{{- define "trainyard.file" -}}
{{- $root := index . 0 -}}
{{- $root.Files.Get (printf "files/%s" (index . 1)) | replace "trainyard-system" $root.Release.Namespace -}}
{{- end }}

{{- define "trainyard.labels" -}}
app.kubernetes.io/name: trainyard
app.kubernetes.io/component: {{ . }}
{{- end }}

{{- define "trainyard.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* The cluster's version without its provider's suffix: v1.36.3 for v1.36.3-eks-2d5f260. */}}
{{- define "trainyard.schedulerImage" -}}
{{ .Values.scheduler.image.repository }}:{{ .Values.scheduler.image.tag | default (regexFind "^v[0-9]+\\.[0-9]+\\.[0-9]+" .Capabilities.KubeVersion.Version) }}
{{- end }}

{{/* Keys of the Secret trainyard-azure or trainyard-aws that become variables of the scaler. Azure's webhook keeps existing variables. */}}
{{- define "trainyard.credentials" -}}
{{- if eq .Values.cloud "azure" -}}
AZURE_ENVIRONMENT {{- if eq .Values.azure.identity "servicePrincipal" }} AZURE_TENANT_ID AZURE_CLIENT_ID AZURE_CLIENT_SECRET{{ end }}
{{- else if and (eq .Values.cloud "aws") (eq .Values.aws.identity "keys") -}}
AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
{{- end -}}
{{- end }}

{{/* Settings of all pods. manifests/components/pods has the reasons. */}}
{{- define "trainyard.pod" -}}
automountServiceAccountToken: true
enableServiceLinks: false
priorityClassName: {{ .Values.priorityClassName | quote }}
schedulerName: default-scheduler
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            - {key: kubernetes.io/os, operator: In, values: [linux]}
            - {key: gpu, operator: NotIn, values: ["true"]}
            - {key: accelerator, operator: DoesNotExist}
            - {key: k8s.amazonaws.com/accelerator, operator: DoesNotExist}
            - {key: kubernetes.azure.com/accelerator, operator: DoesNotExist}
            - {key: nvidia.com/gpu.present, operator: NotIn, values: ["true"]}
            - {key: kubernetes.azure.com/scalesetpriority, operator: NotIn, values: [spot]}
            - {key: eks.amazonaws.com/capacityType, operator: NotIn, values: [SPOT]}
            - {key: karpenter.sh/capacity-type, operator: NotIn, values: [spot]}
            - {key: node.kubernetes.io/lifecycle, operator: NotIn, values: [spot]}
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference:
          matchExpressions:
            - {key: trainyard.dev/pool, operator: DoesNotExist}
tolerations:
  - {key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule}
  - {key: node-role.kubernetes.io/master, operator: Exists, effect: NoSchedule}
  - {key: CriticalAddonsOnly, operator: Exists}
  {{- with .Values.tolerations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Settings of all containers. */}}
{{- define "trainyard.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{/* Probes of containers with Trainyard's image. */}}
{{- define "trainyard.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: operations}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: operations}
  timeoutSeconds: 5
readinessProbe:
  httpGet: {path: /readyz, port: operations}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
