# The proxy in an image of its own: one program, certificates, no root.
FROM rust:1-slim-bookworm AS build
WORKDIR /src
COPY . .
ENV CARGO_PROFILE_RELEASE_STRIP=symbols
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev \
    && cargo build --release --locked -p toolglot-cli --features redis,otlp

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/target/release/toolglot /usr/local/bin/
ENV TOOLGLOT_LISTEN=0.0.0.0:8642
EXPOSE 8642
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s CMD ["toolglot", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["toolglot"]
CMD ["serve"]
