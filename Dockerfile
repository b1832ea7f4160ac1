# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci
COPY tsconfig.json ./
COPY build build
COPY docs docs
# The guides show it.
COPY bench/results/chart.svg bench/results/chart.svg
COPY src src
RUN node build/ensure.mjs

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 CROSSBOOK_DATA=/data
# For a container of 1 GiB.
ENV NODE_OPTIONS=--max-old-space-size=512
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=build --chown=root:root /app/dist dist
COPY --chown=root:root package.json LICENSE ./
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["/app/dist/crossbook"]
