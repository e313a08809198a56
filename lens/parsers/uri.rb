# URI.parse of Ruby.
require "uri"
def encode(text) = [text.to_s].pack("m0")
puts "version #{encode("Ruby #{RUBY_VERSION}")}"
STDIN.each_line.with_index do |line, number|
  octets = line.unpack1("m")
  begin
    u = URI.parse(octets.dup.force_encoding("UTF-8"))
    path = u.path || u.opaque
    if u.is_a?(URI::FTP) # it leaves out the slash after the host, and the type
      path = "/" + path unless path.empty?
      path += ";type=" + u.typecode if u.typecode
    end
    parts = {scheme: u.scheme, user: u.user, password: u.password, host: u.host, port: (u.port unless u.port == u.default_port), path: path, query: u.query, fragment: u.fragment}
    list = parts.compact.map { |name, text| "#{name}:#{encode(text)}" }
    puts "#{number} #{octets.bytesize} ok #{list.join(" ")}"
  rescue StandardError => e
    puts "#{number} #{octets.bytesize} no #{encode(e.message[/\A[^:]*/])}"
  end
end
