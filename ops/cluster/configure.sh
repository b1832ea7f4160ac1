#!/bin/sh
# Writes the files of one host from those in this folder. ops/cluster/README.md has the order of steps.
#   sh configure.sh secrets > cluster.env     once; every host needs this file in this folder
#   sh configure.sh data data-1 10.0.0.21     on a host of PostgreSQL, etcd, Redis and Sentinel
#   sh configure.sh crossbook                 on a host of Crossbook
#   sh configure.sh proxy                     on the host of HAProxy
set -eu
cd "$(dirname "$0")"

fill() { # file, owner, target: a copy with the host's name, its address and the passwords
  umask 077
  sed -e "s/THIS_NAME/${NAME:-}/g" -e "s/THIS_ADDRESS/${ADDRESS:-}/g" \
    -e "s/SUPERUSER_PASSWORD/$SUPERUSER_PASSWORD/g" -e "s/REPLICATION_PASSWORD/$REPLICATION_PASSWORD/g" \
    -e "s/CROSSBOOK_PASSWORD/$CROSSBOOK_PASSWORD/g" -e "s/REDIS_PASSWORD/$REDIS_PASSWORD/g" \
    -e "s|ENCRYPTION_KEYS|$ENCRYPTION_KEYS|g" "$1" > "$3"
  chown "$2" "$3"
}

case ${1:-} in
  secrets)
    for name in SUPERUSER REPLICATION CROSSBOOK REDIS; do
      echo "${name}_PASSWORD=$(openssl rand -hex 16)"
    done
    echo "ENCRYPTION_KEYS=k1:$(openssl rand -base64 32)"
    exit
    ;;
  data | crossbook | proxy) . ./cluster.env ;;
  *)
    sed -n '2,6s/^# *//p' "$(basename "$0")" >&2
    exit 2
    ;;
esac
case $1 in
  data)
    NAME=${2:?the name of this host, such as data-1}
    ADDRESS=${3:?the address of this host}
    fill etcd.conf root:root /etc/default/etcd
    fill patroni.yml postgres:postgres /etc/patroni/config.yml
    fill redis.conf redis:redis /etc/redis/redis.conf
    # The first host begins as the master. Later, Sentinel keeps this up to date in both files.
    [ "$NAME" = data-1 ] || echo 'replicaof 10.0.0.21 6379' >> /etc/redis/redis.conf
    fill sentinel.conf redis:redis /etc/redis/sentinel.conf
    ;;
  crossbook) fill crossbook.conf root:root /etc/crossbook.env ;;
  proxy) fill haproxy.cfg root:root /etc/haproxy/haproxy.cfg ;;
esac
