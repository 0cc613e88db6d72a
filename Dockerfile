# One static binary in an empty image, run as nobody:
#
#     docker run --rm -v "$PWD:/data:ro" ghcr.io/uriscan/uriscan audit site
#
# A release takes the binary that it has built already: --build-context build=FOLDER.
FROM rust:1.95-alpine AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --bin uriscan --features parquet --target-dir /target \
    && cp /target/dist/uriscan /uriscan

FROM scratch
COPY --from=build /uriscan /uriscan
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["/uriscan"]
CMD ["--help"]
