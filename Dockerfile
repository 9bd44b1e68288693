# docker build -t payonce . && docker run --rm -v "$PWD:/work" -w /work payonce plan list.csv --offline
# The journal is in /var/lib/payonce: keep it in a volume, or what was bought is bought again.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && mkdir -m 0700 /journal

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /usr/share/zoneinfo /usr/share/zoneinfo
COPY --from=build /src/bin/batch /usr/bin/batch
COPY --from=build --chown=65532:65532 /journal /var/lib/payonce
COPY --from=build --chown=65532:65532 --chmod=1777 /tmp /tmp
USER 65532:65532
ENV BATCH_STATE=/var/lib/payonce
VOLUME /var/lib/payonce
ENTRYPOINT ["/usr/bin/batch"]
