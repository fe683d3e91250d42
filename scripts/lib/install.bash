# shellcheck shell=bash
# Install: brings the programs that the tests drive, only those that are missing, and the pinned client.

has() { command -v "$1" >/dev/null 2>&1; }

as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

# install_programs <program=package…>: one `apt-get update` at most, and none when nothing is missing.
install_programs() {
    local pair packages=()
    for pair in "$@"; do
        has "${pair%%=*}" || packages+=("${pair#*=}")
    done
    if ((${#packages[@]} == 0)); then
        echo "nothing is missing"
        return 0
    fi
    if ! has apt-get; then
        echo "missing: ${packages[*]}; there is no apt-get here, install them by hand"
        return 0
    fi
    echo "installing: ${packages[*]}"
    as_root apt-get update -qq || echo "apt-get update failed; going on with the package lists at hand"
    # One by one: a package that cannot be had must not keep the others away. What is still missing is reported below.
    local package
    for package in "${packages[@]}"; do
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" \
            >/dev/null || echo "could not install $package"
    done
}

# postgres_folder: where the server's programs are; Debian keeps them out of PATH, one folder a version.
postgres_folder() {
    local folder
    for folder in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null)"; do
        if [[ -x $folder/initdb && -x $folder/postgres && -x $folder/psql ]]; then
            echo "$folder"
            return 0
        fi
    done
    return 1
}

# pooler_path: pgbouncer is in a folder for administrators, which is not in everybody's PATH.
pooler_path() {
    local path
    for path in /usr/sbin/pgbouncer /usr/bin/pgbouncer /usr/local/bin/pgbouncer; do
        if [[ -x $path ]]; then
            echo "$path"
            return 0
        fi
    done
    return 1
}

# install_postgres: the distribution's server and pooler, without the cluster that Debian would make and start.
install_postgres() {
    local packages=() package
    postgres_folder >/dev/null || packages+=(postgresql)
    pooler_path >/dev/null || packages+=(pgbouncer)
    if ((${#packages[@]} == 0)); then
        echo "nothing is missing: $(postgres_folder), $(pooler_path)"
        return 0
    fi
    if ! has apt-get; then
        echo "missing: ${packages[*]}; there is no apt-get here, install them by hand"
        return 0
    fi
    echo "installing: ${packages[*]}"
    as_root apt-get update -qq || echo "apt-get update failed; going on with the package lists at hand"
    if [[ ! -e /etc/postgresql-common/createcluster.conf ]]; then
        as_root mkdir -p /etc/postgresql-common &&
            echo "create_main_cluster = false" | as_root tee /etc/postgresql-common/createcluster.conf >/dev/null ||
            echo "could not keep the package from making a cluster; that does no harm"
    fi
    for package in "${packages[@]}"; do
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" \
            >/dev/null || echo "could not install $package"
    done
}

# client_platform: how the client's packages call this machine.
client_platform() {
    case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo linux-x64 ;;
    Linux-aarch64 | Linux-arm64) echo linux-arm64 ;;
    Darwin-arm64) echo darwin-arm64 ;;
    Darwin-x86_64) echo darwin-x64 ;;
    *) return 1 ;;
    esac
}

# client_answers <binary> <version>
client_answers() {
    [[ -x $1 ]] && [[ $("$1" --version 2>/dev/null) == "$2 "* ]]
}

# install_client <folder> <version> <platform>: into a folder beside, moved into place when it works, so that an
# interrupted download is never taken for the client.
install_client() {
    local folder=$1 version=$2 platform=$3
    local package="@anthropic-ai/claude-code-$platform"
    local partial="$folder.partial.$$"
    if client_answers "$folder/node_modules/$package/claude" "$version"; then
        echo "$package@$version is already there"
        return 0
    fi
    if ! has npm; then
        echo "npm is missing, so the client cannot be installed"
        return 1
    fi
    mkdir -p "$partial" &&
        npm install --prefix "$partial" --no-save --no-audit --no-fund --loglevel=error "$package@$version" &&
        client_answers "$partial/node_modules/$package/claude" "$version" &&
        rm -rf "$folder" && mv "$partial" "$folder" && return 0
    rm -rf "$partial"
    return 1
}

# npm_client_answers <binary> <version>: some print a name before their version, some make folders in the home.
npm_client_answers() {
    local home said
    [[ -x $1 ]] && home=$(mktemp -d) || return 1
    said=$(env -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_CACHE_HOME -u XDG_STATE_HOME HOME="$home" \
        "$1" --version 2>/dev/null </dev/null | tr '\n' ' ')
    rm -rf "$home"
    [[ " $said " == *" $2 "* ]]
}

# install_npm_client <folder> <package> <version> <binary>: another agent's client, the binary as a path below the folder;
# moved into place when it answers.
install_npm_client() {
    local folder=$1 package=$2 version=$3 binary=$4 partial="$1.partial.$$"
    if npm_client_answers "$folder/$binary" "$version"; then
        echo "$package@$version is already there"
        return 0
    fi
    if ! has npm; then
        echo "npm is missing, so $package cannot be installed"
        return 1
    fi
    mkdir -p "$partial" &&
        npm install --prefix "$partial" --no-save --no-audit --no-fund --loglevel=error "$package@$version" &&
        npm_client_answers "$partial/$binary" "$version" &&
        rm -rf "$folder" && mv "$partial" "$folder" && return 0
    rm -rf "$partial"
    return 1
}

# codex_binary <platform>: the program inside Codex CLI's packages, which starts without node.
codex_binary() {
    local target
    case "$1" in
    linux-x64) target=x86_64-unknown-linux-musl ;;
    linux-arm64) target=aarch64-unknown-linux-musl ;;
    darwin-x64) target=x86_64-apple-darwin ;;
    darwin-arm64) target=aarch64-apple-darwin ;;
    *) return 1 ;;
    esac
    echo "node_modules/@openai/codex-$1/vendor/$target/bin/codex"
}

# library_version <folder>: the version of the MCP library that is installed there; nothing when there is none.
library_version() {
    sed -n 's/^ *"version": "\(.*\)",\{0,1\}$/\1/p' "$1/node_modules/@modelcontextprotocol/sdk/package.json" 2>/dev/null
}

# install_mcp_library <folder> <version>: the client's side of MCP, as the registry has it; moved into place when whole.
install_mcp_library() {
    local folder=$1 version=$2 partial="$1.partial.$$"
    if [[ $(library_version "$folder") == "$version" ]]; then
        echo "@modelcontextprotocol/sdk@$version is already there"
        return 0
    fi
    if ! has npm; then
        echo "npm is missing, so the MCP library cannot be installed"
        return 1
    fi
    mkdir -p "$partial" &&
        npm install --prefix "$partial" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
            "@modelcontextprotocol/sdk@$version" &&
        [[ $(library_version "$partial") == "$version" ]] &&
        rm -rf "$folder" && mv "$partial" "$folder" && return 0
    rm -rf "$partial"
    return 1
}
