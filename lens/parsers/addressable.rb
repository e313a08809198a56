# Addressable::URI.parse of Ruby.
require "addressable/uri"
def encode(text) = [text.to_s].pack("m0")
puts "version #{encode("Addressable #{Addressable::VERSION::STRING}")}"
STDIN.each_line.with_index do |line, number|
  octets = line.unpack1("m")
  begin
    u = Addressable::URI.parse(octets.dup.force_encoding("UTF-8"))
    parts = {scheme: u.scheme, user: u.user, password: u.password, host: u.host, port: u.port, path: u.path, query: u.query, fragment: u.fragment}
    list = parts.compact.map { |name, text| "#{name}:#{encode(text)}" }
    puts "#{number} #{octets.bytesize} ok #{list.join(" ")}"
  rescue StandardError => e
    puts "#{number} #{octets.bytesize} no #{encode(e.message[/\A[^:]*/])}"
  end
end
