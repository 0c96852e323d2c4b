{{- /* Names and parts that the deployments and the job share. */ -}}

{{- define "phial.name" -}}
{{- if eq .Release.Name "phial" }}phial{{ else }}{{ printf "%s-phial" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "phial.labels" -}}
app.kubernetes.io/name: phial
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "phial.allLabels" -}}
{{ include "phial.labels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "phial.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "phial.podDefaults" -}}
# Otherwise Kubernetes sets variables such as PHIAL_PORT for each service, and Phial refuses options that it does not know.
enableServiceLinks: false
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "phial.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "phial.secretEnv" -}}
{{- range $option, $key := .Values.secretFiles }}
- name: {{ $option }}_FILE
  value: /run/secrets/phial/{{ $key }}
{{- end }}
{{- end }}

{{- define "phial.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 5
  timeoutSeconds: 5
lifecycle:
  # Time in which proxies learn that this pod takes no more requests.
  preStop:
    exec:
      command: [sleep, '5']
{{- end }}

{{- define "phial.volumes" -}}
- name: secrets
  secret:
    secretName: {{ .Values.existingSecret }}
    defaultMode: 0440
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
- name: uploads
  persistentVolumeClaim:
    claimName: {{ .Values.uploads.existingClaim | default (printf "%s-uploads" (include "phial.name" .)) }}
{{- end }}

{{- define "phial.mounts" -}}
- { name: secrets, mountPath: /run/secrets/phial, readOnly: true }
- { name: data, mountPath: /var/lib/phial }
- { name: tmp, mountPath: /tmp }
- { name: uploads, mountPath: /var/lib/phial/uploads }
{{- end }}
