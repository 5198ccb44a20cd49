//! A bare byte relay: what passing a stream on costs at the least, to compare proxies with.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

pub(crate) fn run(port: u16, server: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    for client in listener.incoming() {
        let client = client?;
        thread::spawn(move || both_ways(&client, server));
    }
    Ok(())
}

fn both_ways(client: &TcpStream, server: u16) -> io::Result<()> {
    let server = TcpStream::connect(("127.0.0.1", server))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from, to) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || pass(from, to));
    pass(server, client.try_clone()?)
}

fn pass(mut from: TcpStream, mut to: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 16 << 10];
    loop {
        let length = from.read(&mut buffer)?;
        if length == 0 {
            return to.shutdown(Shutdown::Write);
        }
        to.write_all(&buffer[..length])?;
    }
}
